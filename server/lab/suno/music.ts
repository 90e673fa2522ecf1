import { z } from 'zod'
import { nowMs } from '../../core/clock.ts'
import type { FaultPlan } from '../fault-plan.ts'
import { openai } from '../openai/provider.ts'
import type { LabOperation, LabProvider, LabRequest, OperationTarget } from '../operation.ts'
import { findTask, type LabTask, putTask, readProgress } from '../task-table.ts'

const IDS_MAX = 1000
const MS_PER_SECOND = 1000

const MusicSubmission = z.looseObject({
  prompt: z.string().nullish(),
  gpt_description_prompt: z.string().nullish(),
  mv: z.string().nullish(),
})
type MusicSubmission = z.infer<typeof MusicSubmission>

const FetchBody = z.object({ ids: z.array(z.string()).max(IDS_MAX) })

/** OpenAI authentication with errors in the bridge's own format. Source: github.com/Suno-API/Suno-API */
const suno: LabProvider = {
  key: openai.key,
  error(kind, detail) {
    const { status } = openai.error(kind, detail)
    return { status, body: { code: 'fail_to_fetch_task', message: detail.message ?? kind, data: null } }
  },
  errorFrame: openai.errorFrame,
}

export const music: readonly LabOperation[] = [
  {
    method: 'POST',
    path: /\/suno\/submit\/(MUSIC|LYRICS)$/,
    provider: suno,
    isLive: true,
    read: (body, target) =>
      MusicSubmission.transform(submission => toLabRequest(submission, target)).safeParse(body),
  },
  {
    method: 'POST',
    path: /\/suno\/fetch$/,
    provider: suno,
    isLive: true,
    read: (body, target) =>
      FetchBody.transform(({ ids }) => ({
        ...target,
        lastText: '',
        reply: () => ({
          json: () => ({
            code: 'success',
            message: '',
            data: ids.flatMap(id => listTask(id, target.baseUrl)),
          }),
        }),
      })).safeParse(body),
  },
]

const promptText = (submission: MusicSubmission): string =>
  submission.gpt_description_prompt ?? submission.prompt ?? ''

const toLabRequest = (submission: MusicSubmission, target: OperationTarget): LabRequest => ({
  model: '',
  lastText: promptText(submission),
  isStream: false,
  reply: faultPlan => ({ json: () => submit(target.model, submission, faultPlan) }),
})

function submit(action: string, submission: MusicSubmission, faultPlan: FaultPlan): unknown {
  if (faultPlan.taskCode !== 0)
    return { code: 'fail_to_fetch_task', message: 'Insufficient credits', data: null }
  const { id } = putTask({
    id: crypto.randomUUID(),
    action,
    prompt: promptText(submission),
    state: '',
    submittedMs: nowMs(),
    faultPlan,
    isAwaitingModal: false,
  })
  return { code: 'success', message: '', data: id }
}

function listTask(id: string, baseUrl: string): unknown[] {
  const task = findTask(id)
  return task ? [toTask(task, baseUrl)] : []
}

const toSeconds = (ms: number): number => Math.floor(ms / MS_PER_SECOND)

function toTask(task: LabTask, baseUrl: string): unknown {
  const { status, percent, startedMs, finishedMs } = readProgress(task)
  return {
    task_id: task.id,
    notify_hook: '',
    action: task.action,
    status,
    fail_reason: status === 'FAILURE' ? 'moderation failure' : '',
    submit_time: toSeconds(task.submittedMs),
    start_time: toSeconds(startedMs),
    finish_time: toSeconds(finishedMs),
    progress: `${percent}%`,
    data: status === 'SUCCESS' ? taskResult(task, baseUrl) : null,
  }
}

const taskResult = ({ id, action, prompt }: LabTask, baseUrl: string): unknown =>
  action === 'LYRICS'
    ? { id, status: 'complete', title: prompt, text: `[Verse 1]\n${prompt}` }
    : [
        { id: `${id}-1`, status: 'complete', title: prompt, audio_url: `${baseUrl}/songs/${id}-1.mp3` },
        { id: `${id}-2`, status: 'complete', title: prompt, audio_url: `${baseUrl}/songs/${id}-2.mp3` },
      ]
