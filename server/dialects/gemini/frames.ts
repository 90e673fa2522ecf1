import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'

/** The two forms of a stream: events, or one JSON array that is written element by element. */
export interface Frames {
  /** `json` is the text of one element. */
  frame(json: string): string
  end(): string
}

export const wantsEvents = ({ urlParams }: ResponseContext): boolean => urlParams.alt === 'sse'

export const openFrames = (context: ResponseContext): Frames => (wantsEvents(context) ? EVENTS : openArray())

const EVENTS: Frames = { frame: json => `data: ${json}\r\n\r\n`, end: () => '' }

function openArray(): Frames {
  let isEmpty = true
  return {
    frame(json) {
      const before = isEmpty ? '[' : ',\r\n'
      isEmpty = false
      return before + json
    },
    end: () => (isEmpty ? '[]' : ']'),
  }
}
