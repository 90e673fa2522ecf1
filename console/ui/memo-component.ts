import { type ComponentType, memo } from 'react'

/** `memo` for components with a type parameter. The result takes the same props, so it may be used in their place. */
export function memoComponent<Component extends (props: never) => unknown>(component: Component): Component {
  return memo(component as unknown as ComponentType) as unknown as Component
}
