import { useNavigate } from '@tanstack/react-router'
import type { OrganizationSummary } from '../contract/organizations.ts'
import { actFor } from './acting.ts'

/**
 * Returns a function that acts for an organisation, or for nobody else, and opens the page to begin with. It closes
 * messages, so what was done is told afterwards.
 */
export function useSwitch(): (organization: OrganizationSummary | undefined) => Promise<void> {
  const navigate = useNavigate()
  return async organization => {
    actFor(organization)
    await navigate({ to: organization ? '/organization' : '/token', ignoreBlocker: true })
  }
}
