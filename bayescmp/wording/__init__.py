"""What people read: pieces of sentences, tables, HTML, LaTeX, signs and colours, references."""
