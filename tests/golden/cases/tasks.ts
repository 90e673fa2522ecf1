import type { Json } from '../normalise.ts'
import type { GoldenCase, GoldenResponse } from '../recorder.ts'

const KEY = { keyHeader: 'mj-api-secret' } as const

const field = (json: Json, name: string): Json =>
  (typeof json === 'object' && json !== null && Object.entries(json).find(([key]) => key === name)?.[1]) || ''

const hasEnded = ({ json }: GoldenResponse): boolean =>
  ['SUCCESS', 'FAILURE'].includes(String(field(json, 'status') || field(field(json, 'data'), 'status')))

const drawing =
  (prompt: string): GoldenCase =>
  async client => {
    const { json } = await client.call({ path: '/mj/submit/imagine', ...KEY, body: { prompt } })
    const id = String(field(json, 'result'))
    await client.poll({ method: 'GET', path: `/mj/task/${id}/fetch`, ...KEY }, hasEnded)
    client.record('id', id)
  }

const music =
  (prompt: string): GoldenCase =>
  async client => {
    const body = { gpt_description_prompt: prompt }
    const { json } = await client.call({ path: '/suno/submit/music', body })
    const id = String(field(json, 'data'))
    await client.poll({ method: 'GET', path: `/suno/fetch/${id}` }, hasEnded)
    client.record('id', id)
  }

/** Drawing and music, which finish after their request. */
export const tasks: Readonly<Record<string, GoldenCase>> = {
  'a drawing': drawing('a lighthouse [lab: task-ms-0]'),
  'a drawing that fails': drawing('a lighthouse [lab: task-ms-0+task-fail]'),
  'a rejected drawing': async client => {
    await client.call({ path: '/mj/submit/imagine', ...KEY, body: { prompt: 'no [lab: task-code-24]' } })
  },
  music: music('the sea [lab: task-ms-0]'),
  'music that fails': music('the sea [lab: task-ms-0+task-fail]'),
  'an unknown music action': async client => {
    await client.call({ path: '/suno/submit/unknown', body: { prompt: 'the sea' } })
  },
}
