// What differs between the platforms' looks. A chat names its skin; a new platform is a new entry
// here and a style sheet.

// Sent by the suggestions. The demo model answers each in its own way.
export const PROMPTS = {
  help: "Help",
  slow: "Slow answer, please",
  long: "Long answer, please",
  markdown: "Markdown, please",
  tool: "Use a tool",
};

export const SKINS = {
  telegram: {
    name: "Telegram",
    about: "bot",
    placeholder: "Message",
    // Counted in UTF-16 units here; the platform counts the same way (platform facts, section 1.7).
    longest: 4096,
    editedMark: (message) => message.edited,
    chips: [
      ["Help", PROMPTS.help],
      ["A slow answer", PROMPTS.slow],
      ["A long answer", PROMPTS.long],
      ["Markdown", PROMPTS.markdown],
      ["A tool call", PROMPTS.tool],
    ],
  },
};
