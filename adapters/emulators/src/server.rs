//! One listening socket: `TCP_NODELAY`, keep-alive, and connections that can be cut at any moment,
//! so that an effect without an answer can be shown.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use futures::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::Error;

/// A running server; it ends, with all its connections, when this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    addr: SocketAddr,
    connections: Arc<Connections>,
    task: JoinHandle<()>,
}

impl Server {
    /// Listens and serves. Must run inside a tokio runtime.
    pub(crate) async fn start(bind: SocketAddr, router: Router) -> Result<Self, Error> {
        let failed = |source| Error::Bind { addr: bind, source };
        let listener = TcpListener::bind(bind).await.map_err(failed)?;
        let addr = listener.local_addr().map_err(failed)?;
        let connections = Arc::new(Connections::default());
        let listener = CutListener {
            listener,
            connections: Arc::clone(&connections),
        };
        let service = router.into_make_service_with_connect_info::<Cutter>();
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, service).await {
                tracing::error!(%error, "emulator stopped serving");
            }
        });
        Ok(Self {
            addr,
            connections,
            task,
        })
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub(crate) fn connections(&self) -> Arc<Connections> {
        Arc::clone(&self.connections)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
        self.connections.cut_all();
    }
}

/// The open connections of one server.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    open: Mutex<Vec<Weak<Cut>>>,
    down: AtomicBool,
}

impl Connections {
    /// Closes every connection, whatever it is doing.
    pub(crate) fn cut_all(&self) {
        let open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        for cut in open.iter().filter_map(Weak::upgrade) {
            cut.now();
        }
    }

    /// While down, every connection is closed as soon as it is accepted.
    pub(crate) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
        if down {
            self.cut_all();
        }
    }

    fn add(&self, cut: &Arc<Cut>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| other.strong_count() > 0);
        open.push(Arc::downgrade(cut));
    }
}

#[derive(Debug, Default)]
struct Cut {
    cut: AtomicBool,
    waker: AtomicWaker,
}

impl Cut {
    fn now(&self) {
        self.cut.store(true, Ordering::SeqCst);
        self.waker.wake();
    }
}

/// Cuts the connection that a request came on. A response returned afterwards is never written.
#[derive(Debug, Clone)]
pub(crate) struct Cutter(Arc<Cut>);

impl Cutter {
    pub(crate) fn cut(&self) {
        self.0.now();
    }
}

impl Connected<IncomingStream<'_, CutListener>> for Cutter {
    fn connect_info(stream: IncomingStream<'_, CutListener>) -> Self {
        Self(Arc::clone(&stream.io().cut))
    }
}

pub(crate) struct CutListener {
    listener: TcpListener,
    connections: Arc<Connections>,
}

impl Listener for CutListener {
    type Io = CutStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            match self.listener.accept().await {
                Ok(_) if self.connections.down.load(Ordering::SeqCst) => {}
                Ok((stream, addr)) => {
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "TCP_NODELAY");
                    }
                    let cut = Arc::new(Cut::default());
                    self.connections.add(&cut);
                    return (CutStream { stream, cut }, addr);
                }
                Err(error) => {
                    tracing::debug!(%error, "accept");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A TCP stream that fails once it was cut.
pub(crate) struct CutStream {
    stream: TcpStream,
    cut: Arc<Cut>,
}

impl CutStream {
    fn check(&self, cx: &Context<'_>) -> io::Result<()> {
        self.cut.waker.register(cx.waker());
        if self.cut.cut.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }
}

impl AsyncRead for CutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for CutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
