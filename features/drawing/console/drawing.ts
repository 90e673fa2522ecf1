import type { BadgeMark, Tone } from '#console/ui/data/badges.tsx'
import type { Drawing } from '../contract.ts'
import type { text } from './text.ts'

type TextKey = keyof typeof text.zh
type DrawingBadge = readonly [word: TextKey, tone: Tone, mark: BadgeMark]

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

const STATUS_BADGES = {
  NOT_START: ['notStarted', 'neutral', 'hollow'],
  SUBMITTED: ['queued', 'info', 'clock'],
  IN_PROGRESS: ['running', 'info', 'filled'],
  MODAL: ['waitsForWindow', 'warning', 'clock'],
  SUCCESS: ['succeeded', 'success', 'filled'],
  FAILURE: ['failed', 'danger', 'cross'],
} as const satisfies Record<string, DrawingBadge>

const SUBMISSION_BADGES: Readonly<Record<number, DrawingBadge>> = {
  0: ['notSubmitted', 'warning', 'hollow'],
  1: ['submitted', 'success', 'filled'],
  21: ['waiting', 'lime', 'clock'],
  22: ['duplicate', 'warning', 'triangle'],
}

const UNKNOWN: DrawingBadge = ['unknown', 'unknown', 'none']
const SUBMITTING: DrawingBadge = ['submitting', 'info', 'clock']

type DrawingStatus = keyof typeof STATUS_BADGES
export const STATUSES: readonly DrawingStatus[] = [
  'NOT_START',
  'SUBMITTED',
  'IN_PROGRESS',
  'MODAL',
  'SUCCESS',
  'FAILURE',
]

const isStatus = (status: string): status is DrawingStatus => Object.hasOwn(STATUS_BADGES, status)
const isAction = (action: string): action is (typeof ACTIONS)[number] =>
  ACTIONS.some(known => known === action)

export function statusBadge(status: string): DrawingBadge {
  if (status === '') return SUBMITTING
  return isStatus(status) ? STATUS_BADGES[status] : UNKNOWN
}

export const submissionBadge = (code: number): DrawingBadge => SUBMISSION_BADGES[code] ?? UNKNOWN

/** The text key of an action; undefined for one that this console does not know. */
export const actionKey = (action: string): (typeof ACTIONS)[number] | undefined =>
  isAction(action) ? action : undefined

const SLOW_SECONDS = 60
const MS = 1000

/** Seconds from submission to the end, to one decimal; undefined while the drawing is running. */
export function durationSeconds({
  submit_time,
  finish_time,
}: Pick<Drawing, 'submit_time' | 'finish_time'>): number | undefined {
  if (submit_time === 0 || finish_time === 0) return undefined
  return Math.round(((finish_time - submit_time) / MS) * 10) / 10
}

export const durationTone = (seconds: number): Tone => (seconds > SLOW_SECONDS ? 'danger' : 'success')

/** True until the drawing has succeeded or failed. */
export const isRunning = ({ status }: Pick<Drawing, 'status'>): boolean =>
  status !== 'SUCCESS' && status !== 'FAILURE'
