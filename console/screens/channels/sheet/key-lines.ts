export interface KeyLines {
  readonly keys: readonly string[]
  readonly blanks: number
  readonly repeats: number
}

/** The keys of a batch, one a line; blank lines and repeats are dropped and counted. */
export function keyLines(text: string): KeyLines {
  const lines = text.split('\n').map(line => line.trim())
  const filled = lines.filter(line => line !== '')
  const keys = [...new Set(filled)]
  const isEmpty = filled.length === 0
  return {
    keys,
    blanks: isEmpty ? 0 : lines.slice(0, -1).filter(line => line === '').length,
    repeats: filled.length - keys.length,
  }
}
