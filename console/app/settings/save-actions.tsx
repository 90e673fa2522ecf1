import { lazyPart } from '../../ui/lazy-part.ts'
import { filledSlots } from '../filled-slots.ts'

const actions = filledSlots('saveActions').map(({ keys, load }) => ({ keys, ...lazyPart(load) }))

/** Features' actions for unsaved values of these options, such as trying them on past requests. */
export function SaveActions({ keys }: { readonly keys: readonly string[] }) {
  const offered = actions.filter(action => action.keys.some(key => keys.includes(key)))
  return offered.map(action => <action.Part key={action.keys.join()} />)
}
