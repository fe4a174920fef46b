/** Text as text in Markdown: no markup, no HTML, no line break, no cell border. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').replace(/[\\`*_{}[\]<>|#~$&]/g, '\\$&');
}
