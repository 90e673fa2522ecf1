import { z } from 'zod'
import { nowMs } from '../../core/clock.ts'
import type { FaultPlan } from '../fault-plan.ts'
import { fixedOperation, type LabOperation, type LabRequest, type OperationTarget } from '../operation.ts'
import { findTask, type LabTask, putTask, readProgress } from '../task-table.ts'
import { midjourney } from './provider.ts'

const SEED = '2614949381'
const IDS_MAX = 1000
const CODE = { submitted: 1, missing: 4, exists: 21, queued: 22 } as const
const ACCEPTED_CODES: readonly number[] = [CODE.submitted, CODE.exists, CODE.queued]
/** Buttons that open a modal dialog instead of starting a task. */
const MODAL_BUTTON = /::(Inpaint|CustomZoom)::/
let submittedCount = 0

const DrawingSubmission = z.looseObject({
  prompt: z.string().nullish(),
  taskId: z.string().nullish(),
  customId: z.string().nullish(),
  content: z.string().nullish(),
  action: z.string().nullish(),
  index: z.number().nullish(),
  state: z.string().nullish(),
})
type DrawingSubmission = z.infer<typeof DrawingSubmission>

const ListBody = z.object({ ids: z.array(z.string()).max(IDS_MAX) })

/** Submission, polling and image seeds. Source: github.com/novicezk/midjourney-proxy, docs/api.md */
export const drawing: readonly LabOperation[] = [
  {
    method: 'POST',
    path: /\/mj\/(?:submit\/|insight-face\/)([\w-]+)$/,
    provider: midjourney,
    isLive: true,
    read: (body, target) =>
      DrawingSubmission.transform(submission => toLabRequest(submission, target)).safeParse(body),
  },
  {
    method: 'POST',
    path: /\/mj\/task\/list-by-condition$/,
    provider: midjourney,
    isLive: true,
    read: (body, target) =>
      ListBody.transform(({ ids }) => ({
        ...target,
        lastText: '',
        reply: () => ({ json: () => ids.flatMap(id => listTask(id, target.baseUrl)) }),
      })).safeParse(body),
  },
  fixedOperation(midjourney, /\/mj\/task\/([^/]+)\/image-seed$/, id =>
    findTask(id)
      ? { code: CODE.submitted, description: 'success', result: SEED }
      : { code: CODE.missing, description: '任务不存在' },
  ),
]

const toLabRequest = (submission: DrawingSubmission, target: OperationTarget): LabRequest => ({
  model: '',
  lastText: submission.prompt ?? '',
  isStream: false,
  reply: faultPlan => ({ json: () => submit(target.model, submission, faultPlan, target.baseUrl) }),
})

function submit(kind: string, submission: DrawingSubmission, faultPlan: FaultPlan, baseUrl: string): unknown {
  const origin = submission.taskId ?? submission.content?.split(' ')[0] ?? ''
  const rejected = submissionError(origin, faultPlan)
  if (rejected) return rejected
  if (kind === 'upload-discord-images')
    return { code: CODE.submitted, description: 'success', result: [`${baseUrl}/pictures/upload.png`] }
  const existing = submission.action === 'UPSCALE' ? findUpscale(submission, baseUrl) : undefined
  if (existing) return existing
  const isAwaitingModal = MODAL_BUTTON.test(submission.customId ?? '')
  const { id } = putTask({
    id: createTaskId(kind, submission, origin),
    action: kind.toUpperCase(),
    prompt: submission.prompt ?? findTask(origin)?.prompt ?? '',
    state: submission.state ?? '',
    submittedMs: nowMs(),
    faultPlan,
    isAwaitingModal,
  })
  const description = isAwaitingModal ? 'Waiting for window confirm' : '提交成功'
  const code = isAwaitingModal ? CODE.exists : CODE.submitted
  return { code: faultPlan.taskCode || code, description, result: id, properties: {} }
}

/** An image is upscaled once. A second submission gets the existing task. */
function findUpscale({ taskId, index }: DrawingSubmission, baseUrl: string): unknown {
  const existing = findTask(upscaleId(taskId, index))
  if (!existing) return undefined
  const { status, imageUrl } = toTask(existing, baseUrl)
  return {
    code: CODE.exists,
    description: '任务已存在',
    result: existing.id,
    properties: { status, imageUrl },
  }
}

const upscaleId = (taskId: DrawingSubmission['taskId'], index: DrawingSubmission['index']): string =>
  `${taskId}${index}`

function submissionError(origin: string, { taskCode }: FaultPlan): unknown {
  if (taskCode !== 0 && !ACCEPTED_CODES.includes(taskCode))
    return { code: taskCode, description: `the lab rejects it with code ${taskCode}`, properties: {} }
  const isMissing = origin !== '' && !findTask(origin)
  return isMissing ? { code: CODE.missing, description: '关联任务不存在或已失效' } : undefined
}

function createTaskId(kind: string, { action, taskId, index }: DrawingSubmission, origin: string): string {
  if (action === 'UPSCALE') return upscaleId(taskId, index)
  return kind === 'modal' ? origin : newId()
}

/** Creates an ascending id of sixteen digits, as the proxies do. */
function newId(): string {
  submittedCount += 1
  return `${nowMs()}${String(submittedCount % 1000).padStart(3, '0')}`
}

function listTask(id: string, baseUrl: string): unknown[] {
  const task = findTask(id)
  return task ? [toTask(task, baseUrl)] : []
}

function toTask(task: LabTask, baseUrl: string) {
  const { status, percent, startedMs, finishedMs } = readProgress(task)
  const hasImage = status === 'SUCCESS' || (status === 'IN_PROGRESS' && percent > 0)
  return {
    id: task.id,
    action: task.action,
    customId: '',
    botType: 'MID_JOURNEY',
    prompt: task.prompt,
    promptEn: task.prompt,
    description: '提交成功',
    state: task.state,
    submitTime: task.submittedMs,
    startTime: startedMs,
    finishTime: finishedMs,
    imageUrl: hasImage ? `${baseUrl}/pictures/${task.id}.png` : '',
    status,
    progress: `${percent}%`,
    failReason: status === 'FAILURE' ? '[Banned prompt detected]' : '',
    buttons:
      status === 'SUCCESS' ? [{ customId: `MJ::JOB::upsample::1::${task.id}`, label: 'U1', type: 2 }] : [],
    properties: { finalPrompt: task.prompt, finalZhPrompt: '' },
  }
}
