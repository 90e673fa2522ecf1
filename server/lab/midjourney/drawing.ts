import { z } from 'zod'
import { nowMs } from '../../core/clock.ts'
import type { FaultPlan } from '../fault-plan.ts'
import { fixedOperation, type LabOperation, type LabRequest, type OperationTarget } from '../operation.ts'
import { findTask, type LabTask, progressOf, putTask } from '../task-table.ts'
import { midjourney } from './vendor.ts'

const SEED = '2614949381'
const IDS_MAX = 1000
const CODE = { submitted: 1, missing: 4, exists: 21, queued: 22 } as const
const TAKEN: readonly number[] = [CODE.submitted, CODE.exists, CODE.queued]
/** Buttons that open a window instead of drawing. */
const WINDOW = /::(Inpaint|CustomZoom)::/
let taken = 0

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

/** Source: github.com/novicezk/midjourney-proxy, docs/api.md */
export const drawing: readonly LabOperation[] = [
  {
    method: 'POST',
    path: /\/mj\/(?:submit\/|insight-face\/)([\w-]+)$/,
    vendor: midjourney,
    isLive: true,
    read: (body, target) => DrawingSubmission.transform(sent => askOf(sent, target)).safeParse(body),
  },
  {
    method: 'POST',
    path: /\/mj\/task\/list-by-condition$/,
    vendor: midjourney,
    isLive: true,
    read: (body, target) =>
      ListBody.transform(({ ids }) => ({
        ...target,
        lastText: '',
        reply: () => ({ json: () => ids.flatMap(id => shown(id, target.address)) }),
      })).safeParse(body),
  },
  fixedOperation(midjourney, /\/mj\/task\/([^/]+)\/image-seed$/, id =>
    findTask(id)
      ? { code: CODE.submitted, description: 'success', result: SEED }
      : { code: CODE.missing, description: '任务不存在' },
  ),
]

const askOf = (sent: DrawingSubmission, target: OperationTarget): LabRequest => ({
  model: '',
  lastText: sent.prompt ?? '',
  isStream: false,
  reply: faultPlan => ({ json: () => submit(target.model, sent, faultPlan, target.address) }),
})

function submit(kind: string, sent: DrawingSubmission, faultPlan: FaultPlan, address: string): unknown {
  const origin = sent.taskId ?? sent.content?.split(' ')[0] ?? ''
  const rejected = errorOf(origin, faultPlan)
  if (rejected) return rejected
  if (kind === 'upload-discord-images')
    return { code: CODE.submitted, description: 'success', result: [`${address}/pictures/upload.png`] }
  const known = sent.action === 'UPSCALE' ? findEnlarged(sent, address) : undefined
  if (known) return known
  const isWindow = WINDOW.test(sent.customId ?? '')
  const { id } = putTask({
    id: idOf(kind, sent, origin),
    action: kind.toUpperCase(),
    prompt: sent.prompt ?? findTask(origin)?.prompt ?? '',
    state: sent.state ?? '',
    submittedMs: nowMs(),
    faultPlan,
    isWindow,
  })
  const description = isWindow ? 'Waiting for window confirm' : '提交成功'
  const code = isWindow ? CODE.exists : CODE.submitted
  return { code: faultPlan.taskCode || code, description, result: id, properties: {} }
}

/** A picture is enlarged once: who asks again is shown what is there. */
function findEnlarged({ taskId, index }: DrawingSubmission, address: string): unknown {
  const known = findTask(enlargedIdOf(taskId, index))
  if (!known) return undefined
  const { status, imageUrl } = toTask(known, address)
  return { code: CODE.exists, description: '任务已存在', result: known.id, properties: { status, imageUrl } }
}

const enlargedIdOf = (taskId: DrawingSubmission['taskId'], index: DrawingSubmission['index']): string =>
  `${taskId}${index}`

function errorOf(origin: string, { taskCode }: FaultPlan): unknown {
  if (taskCode !== 0 && !TAKEN.includes(taskCode))
    return { code: taskCode, description: `the lab answers ${taskCode}`, properties: {} }
  const isMissing = origin !== '' && !findTask(origin)
  return isMissing ? { code: CODE.missing, description: '关联任务不存在或已失效' } : undefined
}

function idOf(kind: string, { action, taskId, index }: DrawingSubmission, origin: string): string {
  if (action === 'UPSCALE') return enlargedIdOf(taskId, index)
  return kind === 'modal' ? origin : newId()
}

/** Sixteen digits that grow, as the proxies give them. */
function newId(): string {
  taken += 1
  return `${nowMs()}${String(taken % 1000).padStart(3, '0')}`
}

function shown(id: string, address: string): unknown[] {
  const task = findTask(id)
  return task ? [toTask(task, address)] : []
}

function toTask(task: LabTask, address: string) {
  const { status, percent, startedMs, finishedMs } = progressOf(task)
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
    imageUrl: hasImage ? `${address}/pictures/${task.id}.png` : '',
    status,
    progress: `${percent}%`,
    failReason: status === 'FAILURE' ? '[Banned prompt detected]' : '',
    buttons:
      status === 'SUCCESS' ? [{ customId: `MJ::JOB::upsample::1::${task.id}`, label: 'U1', type: 2 }] : [],
    properties: { finalPrompt: task.prompt, finalZhPrompt: '' },
  }
}
