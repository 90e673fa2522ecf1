import { useEffect, useRef } from 'react'
import { Banner } from '../../ui/banner.tsx'

/** Why a form was not taken. Takes the focus, so that it is heard and the next Tab leads to the first field. */
export function ProblemBanner({ problem }: { readonly problem: string }) {
  const alert = useRef<HTMLDivElement>(null)
  useEffect(() => alert.current?.focus(), [])
  return (
    <div ref={alert} tabIndex={-1} className="rounded-card outline-none">
      <Banner tone="danger" isAlert>
        <span className="block first-letter:uppercase">{problem}</span>
      </Banner>
    </div>
  )
}
