import { z } from 'zod'
import type { Sampling } from '../relay/request/trace-context.ts'

/** The collector that receives traces. */
export interface TraceTarget {
  /** Accepts OTLP over HTTP in its JSON encoding. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sampling and export of traces. */
export interface TracingConfig {
  readonly target: TraceTarget
  readonly serviceName: string
  readonly sampling: Sampling
  /** Whether requests to providers carry a `traceparent` header. */
  readonly isPropagated: boolean
}

/** `name=value` pairs, separated by commas, with percent-encoded values. */
const headerList = z
  .string()
  .regex(/^[^=,\s]+=[^,]*(,\s*[^=,\s]+=[^,]*)*$/, 'must be name=value pairs separated by commas')
  .refine(isDecodable, 'must have percent-encoded values')
  .transform(text => Object.fromEntries(text.split(',').map(readHeader)))
  .default({})

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

function readHeader(pair: string): readonly [string, string] {
  const separator = pair.indexOf('=')
  return [pair.slice(0, separator).trim().toLowerCase(), decodeURIComponent(pair.slice(separator + 1).trim())]
}

/** The standard variables of OpenTelemetry, so that one environment configures all programs of a machine. */
export const TRACING_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList,
  OTEL_SERVICE_NAME: z.string().default('tollgate'),
  OTEL_TRACES_SAMPLER: z
    .enum(
      [
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ],
      'must be always_on, always_off or traceidratio, alone or after parentbased_',
    )
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number('must be a number between 0 and 1')
    .min(0, 'must be a number between 0 and 1')
    .max(1, 'must be a number between 0 and 1')
    .default(1),
  OTEL_PROPAGATORS: z
    .string()
    .regex(/^[a-z0-9]+(,[a-z0-9]+)*$/, 'must be names separated by commas, such as tracecontext')
    .default('none'),
}

const TracingVariables = z.object(TRACING_VARIABLES)

/** Undefined without an endpoint: tracing is off. */
export function readTracingConfig(variables: z.infer<typeof TracingVariables>): TracingConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = variables
  if (endpoint === undefined) return undefined
  return {
    target: { url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers },
    serviceName: variables.OTEL_SERVICE_NAME,
    sampling: { sampler: variables.OTEL_TRACES_SAMPLER, ratio: variables.OTEL_TRACES_SAMPLER_ARG },
    isPropagated: variables.OTEL_PROPAGATORS.split(',').includes('tracecontext'),
  }
}
