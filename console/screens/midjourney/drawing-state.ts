import type { Drawing } from '#contract/tasks.ts'
import type { BadgeMark, Tone } from '../../ui/status-badge.tsx'
import type { text } from './text.ts'

type Word = keyof typeof text.zh
type Face = readonly [word: Word, tone: Tone, mark: BadgeMark]

export const ACTIONS = [
  'IMAGINE',
  'UPSCALE',
  'VARIATION',
  'HIGH_VARIATION',
  'LOW_VARIATION',
  'PAN',
  'DESCRIBE',
  'BLEND',
  'UPLOAD',
  'SHORTEN',
  'REROLL',
  'INPAINT',
  'ZOOM',
  'CUSTOM_ZOOM',
  'MODAL',
  'SWAP_FACE',
] as const

const STATUS_FACES = {
  NOT_START: ['notStarted', 'neutral', 'hollow'],
  SUBMITTED: ['queued', 'info', 'clock'],
  IN_PROGRESS: ['running', 'info', 'filled'],
  MODAL: ['waitsForWindow', 'warning', 'clock'],
  SUCCESS: ['succeeded', 'success', 'filled'],
  FAILURE: ['failed', 'danger', 'cross'],
} as const satisfies Record<string, Face>

const CODE_FACES: Readonly<Record<number, Face>> = {
  0: ['notSubmitted', 'warning', 'hollow'],
  1: ['submitted', 'success', 'filled'],
  21: ['waiting', 'lime', 'clock'],
  22: ['duplicate', 'warning', 'triangle'],
}

const UNKNOWN: Face = ['unknown', 'unknown', 'none']
const SUBMITTING: Face = ['submitting', 'info', 'clock']

export type DrawingStatus = keyof typeof STATUS_FACES
export const STATUSES: readonly DrawingStatus[] = [
  'NOT_START',
  'SUBMITTED',
  'IN_PROGRESS',
  'MODAL',
  'SUCCESS',
  'FAILURE',
]

const isStatus = (status: string): status is DrawingStatus => Object.hasOwn(STATUS_FACES, status)
const isAction = (action: string): action is (typeof ACTIONS)[number] =>
  ACTIONS.some(known => known === action)

export function statusFace(status: string): Face {
  if (status === '') return SUBMITTING
  return isStatus(status) ? STATUS_FACES[status] : UNKNOWN
}

export const codeFace = (code: number): Face => CODE_FACES[code] ?? UNKNOWN

/** The word of an action; the action itself when it is not known here. */
export const actionWord = (action: string): (typeof ACTIONS)[number] | undefined =>
  isAction(action) ? action : undefined

const SLOW_SECONDS = 60
const MS = 1000

/** Seconds from submission to end, with one digit; undefined while it runs. */
export function durationOf({
  submit_time,
  finish_time,
}: Pick<Drawing, 'submit_time' | 'finish_time'>): number | undefined {
  if (submit_time === 0 || finish_time === 0) return undefined
  return Math.round(((finish_time - submit_time) / MS) * 10) / 10
}

export const durationTone = (seconds: number): Tone => (seconds > SLOW_SECONDS ? 'danger' : 'success')

/** Whether the vendor is still at work. */
export const isRunning = ({ status }: Pick<Drawing, 'status'>): boolean =>
  status !== 'SUCCESS' && status !== 'FAILURE'
