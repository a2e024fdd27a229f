"""Text for readers: pieces of sentences, tables, HTML, LaTeX, signs and colours, references."""
