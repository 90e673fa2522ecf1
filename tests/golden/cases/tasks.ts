import type { Json } from '../normalise.ts'
import type { GoldenCase, GoldenResponse } from '../recorder.ts'

/** The gateway polls its tasks at any time. */
const DRAWING = { keyHeader: 'mj-api-secret', isPolled: true } as const
const MUSIC = { isPolled: true } as const
const AT_ONCE = 'task-ms-0'

const field = (json: Json, name: string): Json =>
  (typeof json === 'object' && json !== null && Object.entries(json).find(([key]) => key === name)?.[1]) || ''

const hasEnded = ({ json }: GoldenResponse): boolean =>
  ['SUCCESS', 'FAILURE'].includes(String(field(json, 'status') || field(field(json, 'data'), 'status')))

/** All are submitted before the first is awaited: the gateway looks for tasks once a second. */
const finished: GoldenCase = async client => {
  const paths: string[] = []
  for (const fault of [AT_ONCE, `${AT_ONCE}+task-fail`]) {
    const body = { prompt: `a lighthouse [lab: ${fault}]` }
    const { json } = await client.call({ path: '/mj/submit/imagine', ...DRAWING, body })
    paths.push(`/mj/task/${field(json, 'result')}/fetch`)
  }
  for (const fault of [AT_ONCE, `${AT_ONCE}+task-fail`]) {
    const body = { gpt_description_prompt: `the sea [lab: ${fault}]` }
    const { json } = await client.call({ path: '/suno/submit/music', ...MUSIC, body })
    paths.push(`/suno/fetch/${field(json, 'data')}`)
  }
  for (const path of paths) {
    const platform = path.startsWith('/mj') ? DRAWING : MUSIC
    await client.poll({ method: 'GET', path, ...platform }, hasEnded)
  }
}

/** Drawing and music, which finish after their request. */
export const tasks: Readonly<Record<string, GoldenCase>> = {
  'drawings and music that succeed and fail': finished,
  'a rejected drawing': async client => {
    await client.call({ path: '/mj/submit/imagine', ...DRAWING, body: { prompt: 'no [lab: task-code-24]' } })
  },
  'an unknown music action': async client => {
    await client.call({ path: '/suno/submit/unknown', body: { prompt: 'the sea' } })
  },
}
