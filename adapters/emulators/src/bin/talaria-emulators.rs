//! Starts the emulators on their own, for tests in other languages. Prints one line of JSON with
//! the addresses, then serves until it is ended.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::Parser;
use serde_json::json;
use talaria_emulators::control::ControlServer;
use talaria_emulators::telegram::{BotSpec, Limits, UserSpec};
use talaria_emulators::{
    AnthropicEmulator, AnthropicOptions, Error, TelegramEmulator, TelegramOptions,
};

/// Local servers that stand where Telegram and Anthropic stand.
#[derive(Debug, Parser)]
#[command(name = "talaria-emulators", version)]
struct Options {
    /// The address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Port of the Telegram emulator; 0: any.
    #[arg(long, default_value_t = 0)]
    telegram_port: u16,
    /// Port of the Anthropic emulator; 0: any.
    #[arg(long, default_value_t = 0)]
    anthropic_port: u16,
    /// Port of the control API; 0: any.
    #[arg(long, default_value_t = 0)]
    control_port: u16,
    /// A bot, as TOKEN or TOKEN@USERNAME; repeatable.
    #[arg(long = "bot", value_name = "TOKEN@USERNAME")]
    bots: Vec<String>,
    /// A user, as ID or ID:NAME; repeatable.
    #[arg(long = "user", value_name = "ID:NAME")]
    users: Vec<String>,
    /// Switches Telegram's rate limits off.
    #[arg(long)]
    no_limits: bool,
    /// The only API key that the Anthropic emulator accepts; without it, every key.
    #[arg(long)]
    api_key: Option<String>,
    /// Speed of the demo model; 0: no pauses.
    #[arg(long, default_value_t = 60.0)]
    tokens_per_second: f64,
    /// Ends when standard input is closed, so that it never outlives the test that started it.
    #[arg(long)]
    until_stdin_closes: bool,
}

impl Options {
    fn telegram(&self) -> Result<TelegramOptions, std::num::ParseIntError> {
        let bot = |text: &String| {
            let (token, name) = text.split_once('@').unwrap_or((text, "demo_bot"));
            BotSpec {
                token: token.to_owned(),
                username: name.to_owned(),
            }
        };
        let user = |text: &String| {
            let (id, name) = text.split_once(':').unwrap_or((text, "User"));
            Ok(UserSpec {
                id: id.parse()?,
                first_name: name.to_owned(),
                username: None,
            })
        };
        Ok(TelegramOptions {
            bind: SocketAddr::new(self.host, self.telegram_port),
            limits: if self.no_limits {
                Limits::off()
            } else {
                Limits::default()
            },
            bots: self.bots.iter().map(bot).collect(),
            users: self.users.iter().map(user).collect::<Result<_, _>>()?,
        })
    }

    fn anthropic(&self) -> AnthropicOptions {
        AnthropicOptions {
            bind: SocketAddr::new(self.host, self.anthropic_port),
            api_key: self.api_key.clone(),
            tokens_per_second: self.tokens_per_second,
            ..AnthropicOptions::default()
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("a user is ID or ID:NAME")]
    User(#[from] std::num::ParseIntError),
    #[error(transparent)]
    Start(#[from] Error),
    #[error("input or output")]
    Io(#[from] std::io::Error),
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let telegram = TelegramEmulator::start(options.telegram()?).await?;
    let anthropic = AnthropicEmulator::start(options.anthropic()).await?;
    let bind = SocketAddr::new(options.host, options.control_port);
    let control = ControlServer::start(bind, telegram.control(), anthropic.control()).await?;
    let line = json!({
        "telegram": telegram.api_url(), "anthropic": anthropic.base_url(), "control": control.url(),
    });
    let mut out = std::io::stdout();
    writeln!(out, "{line}")?;
    out.flush()?;
    if options.until_stdin_closes {
        let closed = stdin_closes()?;
        tokio::select! {
            result = tokio::signal::ctrl_c() => result?,
            _ = closed => {}
        }
    } else {
        tokio::signal::ctrl_c().await?;
    }
    Ok(())
}

/// Resolves at the end of standard input.
fn stdin_closes() -> Result<tokio::sync::oneshot::Receiver<()>, std::io::Error> {
    let (closed, closes) = tokio::sync::oneshot::channel();
    let read = move || {
        // An error is an end too.
        std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink()).ok();
        closed.send(()).ok();
    };
    std::thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(read)?;
    Ok(closes)
}
