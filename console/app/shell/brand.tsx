import { Link } from '@tanstack/react-router'
import { useStatus } from '../status.ts'

const OWN_LOGO = '/logo.svg'

/** The installation's logo and name; leads home. */
export function Brand() {
  const { system_name: name, logo } = useStatus()
  return (
    <Link to="/" className="flex min-w-0 items-center gap-2 rounded-control px-1 font-semibold touch-target">
      <img
        src={logo || OWN_LOGO}
        alt=""
        width={26}
        height={26}
        className="size-6.5 shrink-0 rounded-control object-contain"
      />
      <span className="truncate text-section">{name}</span>
    </Link>
  )
}
