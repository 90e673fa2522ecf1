import { nowMs } from '../core/clock.ts'
import type { FaultPlan } from './fault-plan.ts'

/** Work that the lab took and finishes later. */
export interface LabTask {
  readonly id: string
  readonly action: string
  readonly prompt: string
  /** What the client gave to recognise it by. */
  readonly state: string
  readonly submittedMs: number
  readonly faultPlan: FaultPlan
  /** It waits for the client to fill in a window. */
  readonly isWindow: boolean
}

/** How far a task is at this moment. */
export interface LabProgress {
  readonly status: 'SUBMITTED' | 'MODAL' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE'
  readonly percent: number
  /** 0 while it is not there. */
  readonly startedMs: number
  readonly finishedMs: number
}

const TASKS_MAX = 100_000
const STUCK_PERCENT = 46
const tasks = new Map<string, LabTask>()

/** Beyond the limit the oldest is forgotten. A task that is put again begins again. */
export function putTask(task: LabTask): LabTask {
  tasks.delete(task.id)
  tasks.set(task.id, task)
  const [oldest] = tasks.keys()
  if (tasks.size > TASKS_MAX && oldest !== undefined) tasks.delete(oldest)
  return task
}

/** Undefined for what the lab never took, or was asked to lose. */
export function findTask(id: string): LabTask | undefined {
  const task = tasks.get(id)
  return task?.faultPlan.taskEnding === 'lost' ? undefined : task
}

export function progressOf({ submittedMs, faultPlan, isWindow }: LabTask): LabProgress {
  const age = nowMs() - submittedMs
  if (isWindow) return { status: 'MODAL', percent: 0, startedMs: 0, finishedMs: 0 }
  if (age === 0 && faultPlan.taskMs > 0)
    return { status: 'SUBMITTED', percent: 0, startedMs: 0, finishedMs: 0 }
  if (faultPlan.taskEnding === 'stuck' || age < faultPlan.taskMs) {
    const percent =
      faultPlan.taskEnding === 'stuck' ? STUCK_PERCENT : Math.floor((age / faultPlan.taskMs) * 100)
    return { status: 'IN_PROGRESS', percent, startedMs: submittedMs, finishedMs: 0 }
  }
  const status = faultPlan.taskEnding === 'failure' ? 'FAILURE' : 'SUCCESS'
  return { status, percent: 100, startedMs: submittedMs, finishedMs: submittedMs + faultPlan.taskMs }
}
