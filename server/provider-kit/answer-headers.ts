/** What may be asked of the headers of a vendor's answer. */
export interface AnswerHeaders {
  /** `name` in lower case. Several headers of one name are joined by a comma; null when there is none. */
  get(name: string): string | null
}
