import { parseArgs } from 'node:util'
import { z } from 'zod'

/** A gateway that the reader has started and configured to call the upstream of the benchmark. */
export const PeerAddress = z.object({
  name: z.string().min(1),
  /** The URL of its chat completions. */
  url: z.url(),
  key: z.string().default(''),
  /** What the peer calls the model; by default as the upstream does. */
  model: z.string().optional(),
  /** The process whose CPU and memory count; by default the one that listens on the port of the URL. */
  pid: z.coerce.number().int().positive().optional(),
})
export type PeerAddress = z.infer<typeof PeerAddress>

/** The peers that are installed from their registries. */
export const INSTALLED = ['portkey', 'litellm'] as const
export type Installed = (typeof INSTALLED)[number]

export interface PeerOptions {
  readonly installed: readonly Installed[]
  readonly peers: readonly PeerAddress[]
  /** 0: any free port. */
  readonly upstreamPort: number
  readonly rounds: number
  readonly secondsPerLoad: number
  /** The JSON file for the figures. */
  readonly file: string
}

const ROUNDS = { quick: 1, full: 5 }
const SECONDS_PER_LOAD = { quick: 2, full: 6 }
const PORT_MAX = 65_535

/** Throws with a sentence that names the option when one is wrong. */
export function readPeerOptions(args: readonly string[]): PeerOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      peer: { type: 'string', multiple: true, default: [] },
      without: { type: 'string', multiple: true, default: [] },
      'upstream-port': { type: 'string', default: '0' },
      out: { type: 'string', default: 'test-results/peers.json' },
    },
  })
  const without = z.array(z.enum(INSTALLED)).safeParse(values.without)
  if (!without.success) throw new Error(`--without knows ${INSTALLED.join(' and ')}`)
  const port = z.coerce.number().int().min(0).max(PORT_MAX).safeParse(values['upstream-port'])
  if (!port.success) throw new Error('--upstream-port must be a port')
  const size = values.quick ? 'quick' : 'full'
  return {
    installed: INSTALLED.filter(name => !without.data.includes(name)),
    peers: values.peer.map(readPeer),
    upstreamPort: port.data,
    rounds: ROUNDS[size],
    secondsPerLoad: SECONDS_PER_LOAD[size],
    file: values.out,
  }
}

/** Reads `name=bifrost,url=http://127.0.0.1:8080/v1/chat/completions,key=any,model=openai/gpt-4o-mini`. */
function readPeer(text: string): PeerAddress {
  const pairs = text.split(',').map(pair => {
    const [name = '', ...value] = pair.split('=')
    return [name.trim(), value.join('=').trim()] as const
  })
  const peer = z.strictObject(PeerAddress.shape).safeParse(Object.fromEntries(pairs))
  if (peer.success) return peer.data
  const [issue] = peer.error.issues
  throw new Error(`--peer ${text}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is invalid'}`)
}
