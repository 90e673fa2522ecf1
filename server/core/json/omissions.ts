/** Strings that are left out of a JSON text, which has unpredictable marks in their place. */
export class Omissions {
  readonly strings: string[] = []
  /** Unpredictable. Undefined until a string is left out, which few texts need. */
  private mark: string | undefined

  add(string: string): string {
    this.mark ??= crypto.randomUUID()
    this.strings.push(string)
    return `<${this.mark}:${this.strings.length - 1}>`
  }

  /** Splits a text at its marks: texts at even positions, indexes of omitted strings at odd ones. */
  split(text: string): readonly string[] {
    if (!this.isIn(text)) return [text]
    return text.split(new RegExp(`<${this.mark}:(\\d+)>`))
  }

  isIn(text: string): boolean {
    return this.mark !== undefined && text.includes(this.mark)
  }

  /** The text in parts, with the omitted strings back in their places. */
  restoredParts(text: string): readonly string[] {
    return this.split(text).map((part, at) => (at % 2 === 0 ? part : this.at(part)))
  }

  restore(text: string): string {
    return this.isIn(text) ? this.restoredParts(text).join('') : text
  }

  at(index: string): string {
    return this.strings[Number(index)] ?? ''
  }
}
