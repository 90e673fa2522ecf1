import { nowMs } from '../core/clock.ts'
import type { FaultPlan } from './fault-plan.ts'

/** An asynchronous task that the lab accepted. */
export interface LabTask {
  readonly id: string
  readonly action: string
  readonly prompt: string
  /** The client's own reference, returned unchanged. */
  readonly state: string
  readonly submittedMs: number
  readonly faultPlan: FaultPlan
  /** Whether the task waits until the client submits its modal dialog. */
  readonly isAwaitingModal: boolean
}

/** The progress of a task at this moment. */
export interface LabProgress {
  readonly status: 'SUBMITTED' | 'MODAL' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE'
  readonly percent: number
  /** 0 before the start; likewise `finishedMs` before the end. */
  readonly startedMs: number
  readonly finishedMs: number
}

const TASKS_MAX = 100_000
const STUCK_PERCENT = 46
const tasks = new Map<string, LabTask>()

/** Stores a task, replacing one with the same id. Beyond the limit the oldest task is deleted. */
export function putTask(task: LabTask): LabTask {
  tasks.delete(task.id)
  tasks.set(task.id, task)
  const [oldest] = tasks.keys()
  if (tasks.size > TASKS_MAX && oldest !== undefined) tasks.delete(oldest)
  return task
}

/** Returns undefined for an unknown task and for one with the fault `task-lost`. */
export function findTask(id: string): LabTask | undefined {
  const task = tasks.get(id)
  return task?.faultPlan.taskEnding === 'lost' ? undefined : task
}

/** Computes the progress from the age of the task and its fault plan. */
export function readProgress({ submittedMs, faultPlan, isAwaitingModal }: LabTask): LabProgress {
  const ageMs = nowMs() - submittedMs
  if (isAwaitingModal) return { status: 'MODAL', percent: 0, startedMs: 0, finishedMs: 0 }
  if (ageMs === 0 && faultPlan.taskMs > 0)
    return { status: 'SUBMITTED', percent: 0, startedMs: 0, finishedMs: 0 }
  if (faultPlan.taskEnding === 'stuck' || ageMs < faultPlan.taskMs) {
    const percent =
      faultPlan.taskEnding === 'stuck' ? STUCK_PERCENT : Math.floor((ageMs / faultPlan.taskMs) * 100)
    return { status: 'IN_PROGRESS', percent, startedMs: submittedMs, finishedMs: 0 }
  }
  const status = faultPlan.taskEnding === 'failure' ? 'FAILURE' : 'SUCCESS'
  return { status, percent: 100, startedMs: submittedMs, finishedMs: submittedMs + faultPlan.taskMs }
}
