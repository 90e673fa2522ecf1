import { randomHex } from '../../core/ids.ts'
import type { TraceContext } from '../types.ts'

export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'

export interface Sampling {
  readonly sampler: SamplerName
  /** 0 to 1: the share of traces that `traceidratio` samples. */
  readonly ratio: number
}

/** Distributed tracing of relay requests; undefined when it is not configured. */
export interface Tracing {
  /** Continues the client's trace or starts a new one, and decides whether it is sampled. */
  begin(headers: Headers): TraceContext
  /** Whether upstream requests carry the trace. */
  readonly isPropagated: boolean
}

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8
const SAMPLED_FLAG = 1
/** Source: w3.org/TR/trace-context. Later versions may append fields after the flags. */
const TRACEPARENT =
  /^(?!ff)(?<version>[0-9a-f]{2})-(?<trace>[0-9a-f]{32})-(?<span>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/
const ALL_ZERO = /^0+$/

export const newSpanId = (): string => randomHex(SPAN_ID_BYTES)

interface TracingOptions {
  readonly sampling: Sampling
  readonly isPropagated: boolean
}

export function createTracing({ sampling, isPropagated }: TracingOptions): Tracing {
  return {
    isPropagated,
    begin(headers) {
      const parent = readTraceparent(headers.get('traceparent'))
      const traceId = parent?.traceId ?? randomHex(TRACE_ID_BYTES)
      return {
        traceId,
        spanId: newSpanId(),
        parentId: parent?.spanId,
        isSampled: decideSampling(traceId, parent?.isSampled, sampling),
      }
    },
  }
}

export const toTraceparent = ({ traceId, isSampled }: TraceContext, spanId: string): string =>
  `00-${traceId}-${spanId}-0${isSampled ? SAMPLED_FLAG : 0}`

function readTraceparent(text: string | null) {
  const { version, trace, span, flags, more } = TRACEPARENT.exec(text ?? '')?.groups ?? {}
  if (!trace || !span || ALL_ZERO.test(trace) || ALL_ZERO.test(span)) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId: trace, spanId: span, isSampled: (Number.parseInt(flags ?? '', 16) & SAMPLED_FLAG) === 1 }
}

function decideSampling(
  traceId: string,
  isParentSampled: boolean | undefined,
  { sampler, ratio }: Sampling,
): boolean {
  const [, isParentBased, ownSampler] = /^(parentbased_)?(.*)$/.exec(sampler) ?? []
  if (isParentBased && isParentSampled !== undefined) return isParentSampled
  if (ownSampler === 'traceidratio') return isWithinRatio(traceId, ratio)
  return ownSampler === 'always_on'
}

const RATIO_DIGITS = 8

/** Derived from the trace id, so that all participants of a trace decide alike. */
const isWithinRatio = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-RATIO_DIGITS), 16) < ratio * 16 ** RATIO_DIGITS
