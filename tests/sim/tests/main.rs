//! A sample of seeds, the mutations, and every run that once failed.

mod mutations;
mod sample;
mod saved;
