import { elapsedMs } from '../core/clock.ts'
import type { OnRows } from '../db/copy/copy-database.ts'

const PRINT_MS = 500
const CLEAR_LINE = '\r\u001b[K'

/** Shows on a terminal how many rows are copied. Prints nothing elsewhere. */
export function createProgress(): { readonly onRows: OnRows; end(): void } {
  let printedMs = 0
  const isTerminal = process.stderr.isTTY === true
  return {
    onRows({ table, rows }) {
      if (!isTerminal || elapsedMs() - printedMs < PRINT_MS) return
      printedMs = elapsedMs()
      process.stderr.write(`${CLEAR_LINE}${rows} rows copied, ${table}`)
    },
    end() {
      if (printedMs > 0) process.stderr.write(CLEAR_LINE)
      printedMs = 0
    },
  }
}
