import { randomHex } from '../../core/id.ts'

/** Where a request stands in a trace. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Of the request's own span; 16 hexadecimal digits. */
  readonly spanId: string
  /** The client's span; undefined where the trace begins here. */
  readonly parentId: string | undefined
  readonly isSampled: boolean
}

export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'

export interface Sampling {
  readonly sampler: SamplerName
  /** 0 to 1: the part of traces that `…traceidratio` keeps. */
  readonly ratio: number
}

/** What the relay needs for tracing; absent where nobody asked for traces. */
export interface Tracing {
  begin(headers: Headers): TraceContext
  /** Vendors are told of the trace. */
  readonly isPassedOn: boolean
}

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8
const SAMPLED_FLAG = 1
/** Source: w3.org/TR/trace-context. Later versions may say more behind the flags. */
const TRACEPARENT =
  /^(?!ff)(?<version>[0-9a-f]{2})-(?<trace>[0-9a-f]{32})-(?<span>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/
const ALL_ZERO = /^0+$/

export const newSpanId = (): string => randomHex(SPAN_ID_BYTES)

/** Continues the client's trace, or begins one, and decides whether it is kept. */
export function openTracing({ sampling, isPassedOn }: { sampling: Sampling; isPassedOn: boolean }): Tracing {
  return {
    isPassedOn,
    begin(headers) {
      const parent = readTraceparent(headers.get('traceparent'))
      const traceId = parent?.traceId ?? randomHex(TRACE_ID_BYTES)
      return {
        traceId,
        spanId: newSpanId(),
        parentId: parent?.spanId,
        isSampled: isKept(traceId, parent?.isSampled, sampling),
      }
    },
  }
}

export const writeTraceparent = ({ traceId, isSampled }: TraceContext, spanId: string): string =>
  `00-${traceId}-${spanId}-0${isSampled ? SAMPLED_FLAG : 0}`

function readTraceparent(text: string | null) {
  const { version, trace, span, flags, more } = TRACEPARENT.exec(text ?? '')?.groups ?? {}
  if (!trace || !span || ALL_ZERO.test(trace) || ALL_ZERO.test(span)) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId: trace, spanId: span, isSampled: (Number.parseInt(flags ?? '', 16) & SAMPLED_FLAG) === 1 }
}

function isKept(traceId: string, isParentKept: boolean | undefined, { sampler, ratio }: Sampling): boolean {
  const [, isParentHeard, own] = /^(parentbased_)?(.*)$/.exec(sampler) ?? []
  if (isParentHeard && isParentKept !== undefined) return isParentKept
  if (own === 'traceidratio') return isWithin(traceId, ratio)
  return own === 'always_on'
}

const RATIO_DIGITS = 8

/** By the trace's own id, so that all who see it decide the same. */
const isWithin = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-RATIO_DIGITS), 16) < ratio * 16 ** RATIO_DIGITS
