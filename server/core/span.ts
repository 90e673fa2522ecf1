/** A stretch of work in a trace. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  /** Milliseconds since 1970, with fractions. */
  readonly startedMs: number
  readonly endedMs: number
  /** Undefined values are left out. Whole numbers are told as such. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly isError: boolean
}
