import { z } from 'zod'
import type { BadgeMark, Tone } from '#console/ui/data/badges.tsx'
import type { Task } from '../contract.ts'
import type { text } from './text.ts'

type TextKey = keyof typeof text.zh
type TaskBadge = readonly [word: TextKey, tone: Tone, mark: BadgeMark]

export const ACTIONS = ['MUSIC', 'LYRICS'] as const

const STATUS_BADGES = {
  NOT_START: ['notStarted', 'neutral', 'hollow'],
  SUBMITTED: ['inQueue', 'info', 'clock'],
  QUEUED: ['queued', 'info', 'clock'],
  IN_PROGRESS: ['running', 'info', 'filled'],
  SUCCESS: ['succeeded', 'success', 'filled'],
  FAILURE: ['failed', 'danger', 'cross'],
  UNKNOWN: ['unknown', 'unknown', 'none'],
} as const satisfies Record<string, TaskBadge>

type TaskStatus = keyof typeof STATUS_BADGES
export const STATUSES: readonly TaskStatus[] = [
  'NOT_START',
  'SUBMITTED',
  'QUEUED',
  'IN_PROGRESS',
  'SUCCESS',
  'FAILURE',
  'UNKNOWN',
]

const isStatus = (status: string): status is TaskStatus => Object.hasOwn(STATUS_BADGES, status)

export function statusBadge(status: string): TaskBadge {
  if (status === '') return ['submitting', 'info', 'clock']
  return isStatus(status) ? STATUS_BADGES[status] : STATUS_BADGES.UNKNOWN
}

/** The text key of an action; undefined for one that this console does not know. */
export const actionKey = (action: string): (typeof ACTIONS)[number] | undefined =>
  ACTIONS.find(known => known === action)

/** Seconds from submission to the end; undefined while the task is running. */
export function durationSeconds({
  submit_time,
  finish_time,
}: Pick<Task, 'submit_time' | 'finish_time'>): number | undefined {
  return submit_time === 0 || finish_time === 0 ? undefined : finish_time - submit_time
}

/** True until the task has succeeded or failed. */
export const isRunning = ({ status }: Pick<Task, 'status'>): boolean =>
  status !== 'SUCCESS' && status !== 'FAILURE'

export interface Song {
  readonly id: string
  readonly title: string
  readonly audio: string
  readonly picture: string
}

const Clip = z.looseObject({
  id: z.string().catch(''),
  title: z.string().catch(''),
  audio_url: z.string().startsWith('https://'),
  image_url: z.string().startsWith('https://').catch(''),
})
const Lyrics = z.looseObject({ title: z.string().catch(''), text: z.string().min(1) })

/** Reads the songs from the result of a task, as far as they exist. Clips without an https audio URL are skipped. */
export function readSongs(result: unknown): readonly Song[] {
  const clips = Array.isArray(result) ? result : []
  return clips.flatMap((clip, index) => {
    const { data } = Clip.safeParse(clip)
    if (!data) return []
    return [
      { id: data.id || String(index), title: data.title, audio: data.audio_url, picture: data.image_url },
    ]
  })
}

/** Reads the lyrics from the result of a task; undefined when it holds none. */
export function readLyrics(result: unknown): { readonly title: string; readonly text: string } | undefined {
  return Lyrics.safeParse(result).data
}
