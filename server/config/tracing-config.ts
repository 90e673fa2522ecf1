import { z } from 'zod'
import type { TraceTarget } from '../integrations/trace-exporter.ts'
import type { Sampling } from '../relay/request/trace-context.ts'

/** How traces are made and where they go. */
export interface TracingConfig {
  readonly target: TraceTarget
  readonly serviceName: string
  readonly sampling: Sampling
  /** Vendors are told of the trace. */
  readonly isPropagated: boolean
}

/** `name=value`, separated by commas, values percent-encoded. */
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
  const at = pair.indexOf('=')
  return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())]
}

/** Their names and meanings are OpenTelemetry's own, so that one environment serves all programs of a machine. */
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

/** Undefined without an endpoint. */
export function readTracingConfig(read: z.infer<typeof TracingVariables>): TracingConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = read
  if (endpoint === undefined) return undefined
  return {
    target: { url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers },
    serviceName: read.OTEL_SERVICE_NAME,
    sampling: { sampler: read.OTEL_TRACES_SAMPLER, ratio: read.OTEL_TRACES_SAMPLER_ARG },
    isPropagated: read.OTEL_PROPAGATORS.split(',').includes('tracecontext'),
  }
}
