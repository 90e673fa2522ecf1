import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import type { User } from '#contract/accounts/users.ts'
import { forgetUser, hasRole } from '../../../app/session/session.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { confirm } from '../../../ui/overlays/confirm.ts'
import { useText } from '../../../ui/text/text.ts'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useSelfWrites } from './queries.ts'
import { personalText } from './text.ts'

/** Deregisters the reader, after the own name was typed. */
export function DeleteAccount({ self }: { readonly self: User }) {
  const t = useText(personalText)
  const client = useQueryClient()
  const navigate = useNavigate()
  const { remove } = useSelfWrites()
  const { username: name } = self
  if (hasRole(self, 'root')) return <p className="text-small text-muted">{t('rootStays')}</p>
  const ask = async () => {
    const isSure = await confirm({
      title: t('deleteTitle', { name }),
      text: t('deleteText'),
      action: t('deleteAccount'),
      isDanger: true,
      typedConfirmation: { text: name, label: t('deleteTyped', { name }) },
    })
    if (!isSure) return
    remove.mutate(name, {
      onSuccess: () => {
        forgetUser()
        client.clear()
        toast('success', t('deleted'))
        void navigate({ to: '/login', ignoreBlocker: true })
      },
    })
  }
  return (
    <>
      <p className="text-small text-muted">{t('deleteHelp')}</p>
      <Button
        look="danger-text"
        icon={Trash2}
        className="-ml-3.5 justify-self-start"
        isBusy={remove.isPending}
        onClick={() => void ask()}
      >
        {t('deleteAccount')}
      </Button>
    </>
  )
}
