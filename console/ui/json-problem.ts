/** Why a text is no JSON, and on which line. */
export interface JsonProblem {
  readonly line: number
  readonly reason: string
}

const POSITION = /position (\d+)/
const LINE = /line (\d+)/

/** Undefined for valid JSON and for empty text. */
export function jsonProblem(text: string): JsonProblem | undefined {
  if (text.trim() === '') return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      line: lineOf(text, reason),
      reason: reason.replace(/ in JSON at position.*$/, '').replace(/ at position.*$/, ''),
    }
  }
}

function lineOf(text: string, reason: string): number {
  const stated = LINE.exec(reason)?.[1]
  if (stated !== undefined) return Number(stated)
  const position = POSITION.exec(reason)?.[1]
  const before = position === undefined ? text : text.slice(0, Number(position))
  return before.split('\n').length
}

/** The same JSON with two spaces of indentation; the text itself when it is no JSON. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
