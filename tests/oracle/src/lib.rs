//! Independent checks of what users see.
