import { Suspense } from 'react'
import { lazyPart } from '../../ui/lazy-part.ts'
import { filledSlots } from '../filled-slots.ts'
import type { SaveAction } from '../slots.ts'

const actions = filledSlots('saveActions').map(({ load, ...action }) => ({ ...action, ...lazyPart(load) }))

interface SaveActionsProps extends Pick<SaveAction, 'step' | 'keys'> {}

/** Features' actions for unsaved values of these options, such as trying them on past requests. */
export function SaveActions({ keys, step }: SaveActionsProps) {
  const offered = actions.filter(
    action => action.step === step && action.keys.some(key => keys.includes(key)),
  )
  return (
    <Suspense fallback={null}>
      {offered.map(action => (
        <action.Part key={action.keys.join()} />
      ))}
    </Suspense>
  )
}
