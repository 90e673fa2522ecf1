/** A span of a trace, in the terms of OpenTelemetry. */
export interface TraceSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly startedMs: number
  readonly endedMs: number
  /** Undefined values are left out. Whole numbers are exported as integers. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly isError: boolean
}
