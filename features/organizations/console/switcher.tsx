import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Building2, Plus, Settings2 } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { CallError } from '#console/app/api/call.ts'
import { MenuButton } from '#console/ui/buttons/popup-buttons.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import type { MenuAction } from '#console/ui/overlays/menu-popup.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { currentOrganization, useOrganization } from './acting.ts'
import { ownOrganizationsQuery } from './queries.ts'
import { useOrganizationText } from './text.ts'
import { useSwitch } from './use-switch.ts'

const createDialog = lazyPart(async () => (await import('./create-dialog.tsx')).CreateDialog)

const MEMBERSHIP_ENDED = ['membership.none', 'membership.disabled']

/** Leads back to the own account as soon as a call says that the reader is no longer a member. */
function useMembershipEnd(): void {
  const client = useQueryClient()
  const choose = useSwitch()
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query: { state } }) => {
        const { error } = state
        if (!(error instanceof CallError) || !MEMBERSHIP_ENDED.includes(error.code ?? '')) return
        if (!currentOrganization()) return
        void choose(undefined)
        toast('info', error.message)
      }),
    [client, choose],
  )
}

/** Says for which organisation the reader acts, and switches. Only for members of any, and those who may create one. */
export function Switcher() {
  const t = useOrganizationText()
  useMembershipEnd()
  const acting = useOrganization()
  const choose = useSwitch()
  const navigate = useNavigate()
  const { data } = useQuery(ownOrganizationsQuery)
  const [isCreating, setCreating] = useState(false)
  const mayCreate = data?.may_create === true && !acting
  if (!acting && !mayCreate && !data?.items.length) return null
  const choices: MenuAction[] = (data?.items ?? []).map(organization => ({
    label: organization.is_enabled
      ? t('choiceWithRole', { name: organization.name, role: t(`role_${organization.role}`) })
      : t('disabled', { name: organization.name }),
    isChecked: organization.id === acting?.id,
    isDisabled: !organization.is_enabled,
    onSelect: () => void choose(organization),
  }))
  const personal = { label: t('personal'), isChecked: !acting, onSelect: () => void choose(undefined) }
  const open = { label: t('open'), icon: Settings2, onSelect: () => void navigate({ to: '/organization' }) }
  const create = { label: t('create'), icon: Plus, onSelect: () => setCreating(true) }
  const others = [...(acting ? [open] : []), ...(mayCreate ? [create] : [])]
  const items = others.length > 0 ? [[personal, ...choices], others] : [[personal, ...choices]]
  return (
    <>
      {acting ? (
        <MenuButton
          label={t('actingFor', { name: acting.name })}
          items={items}
          variant="default"
          size="small"
        >
          <Building2 size={15} aria-hidden className="shrink-0 text-accent" />
          <span className="max-w-24 truncate text-fg sm:max-w-40">{acting.name}</span>
        </MenuButton>
      ) : (
        <MenuButton label={t('choose')} icon={Building2} items={items} />
      )}
      <Suspense fallback={null}>
        {isCreating && <createDialog.Part onClose={() => setCreating(false)} />}
      </Suspense>
    </>
  )
}
