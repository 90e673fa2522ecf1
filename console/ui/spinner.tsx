import { LoaderCircle } from 'lucide-react'

/** Turns while something is on its way. Decorative: say what is loading in words beside it. */
export function Spinner({ size = 16 }: { readonly size?: number }) {
  return <LoaderCircle size={size} aria-hidden className="animate-spin" />
}
