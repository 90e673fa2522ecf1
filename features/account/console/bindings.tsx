import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { useStatus } from '#console/app/api/status.ts'
import { PrivateText } from '#console/app/preferences/privacy.tsx'
import { ensureRecentSignIn, isReauthenticating } from '#console/app/session/reauthentication.ts'
import { startOauth, useBoundMessage } from '#console/app/sign-in/oauth.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { Binding } from '#contract/accounts/oauth.ts'
import type { User } from '#contract/entities/user.ts'
import type { Status } from '#contract/status.ts'
import { useSelfMutations } from './queries.ts'
import { usePersonalText } from './text.ts'

const email = lazyPart(async () => (await import('./binding-dialogs.tsx')).EmailDialog)
const wechat = lazyPart(async () => (await import('#console/app/sign-in/wechat-dialog.tsx')).WechatDialog)
const telegram = lazyPart(
  async () => (await import('#console/app/sign-in/telegram-dialog.tsx')).TelegramDialog,
)

/** Sign-in methods that are bound to the account or can be. */
export function BindingList({ self }: { readonly self: User }) {
  const t = usePersonalText()
  const status = useStatus()
  const client = useQueryClient()
  const { bindWechat } = useSelfMutations()
  const [open, setOpen] = useState<Binding>()
  const close = () => setOpen(undefined)
  const bind = async (binding: Binding) => {
    if (!(await ensureRecentSignIn())) return
    if (binding !== 'github' && binding !== 'linuxdo') return setOpen(binding)
    try {
      await startOauth(binding, status)
    } catch (error) {
      toast('error', errorText(error))
    }
  }
  useBoundMessage(() => {
    if (isReauthenticating()) return
    void client.invalidateQueries({ queryKey: ['self'] })
    toast('success', t('bound'))
  })
  const bindByCode = async (code: string) => {
    await bindWechat.mutateAsync(code)
    toast('success', t('bound'))
  }
  return (
    <>
      <ul className="divide-y divide-line rounded-card border border-line">
        {BINDINGS.map(({ binding, readIdentity, isOn }) => (
          <BindingRow
            key={binding}
            binding={binding}
            value={readIdentity(self)}
            isAvailable={isOn(status)}
            onBind={() => void bind(binding)}
          />
        ))}
      </ul>
      <Suspense fallback={null}>
        {open === 'email' && <email.Part onClose={close} />}
        {open === 'wechat' && <wechat.Part onCode={bindByCode} onClose={close} />}
        {open === 'telegram' && <telegram.Part title={t('telegramTitle')} onClose={close} />}
      </Suspense>
    </>
  )
}

interface BindingRowProps {
  readonly binding: Binding
  readonly value: string
  readonly isAvailable: boolean
  readonly onBind: () => void
}

function BindingRow({ binding, value, isAvailable, onBind }: BindingRowProps) {
  const t = usePersonalText()
  const { unbindAccount } = useSelfMutations()
  const name = t(binding)
  const isBound = value !== ''
  const ask = async () => {
    const question = { title: t('unbindTitle', { name }), text: t('unbindText'), action: t('unbind') }
    if (!(await confirm({ ...question, isDanger: true }))) return
    unbindAccount.mutate(binding, { onSuccess: () => toast('success', t('unbound', { name })) })
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5">
      <span className="w-24 font-medium">{name}</span>
      <span className={classes('min-w-0 flex-1 text-small text-muted', isBound && 'truncate')}>
        {isBound ? <PrivateText>{value}</PrivateText> : t(isAvailable ? 'notBound' : 'notEnabled')}
      </span>
      {isBound && (
        <Button
          size="small"
          variant="danger-text"
          aria-label={t('unbindNamed', { name })}
          isBusy={unbindAccount.isPending}
          onClick={() => void ask()}
        >
          {t('unbind')}
        </Button>
      )}
      {(!isBound || binding === 'email') && (
        <Button
          size="small"
          disabled={!isAvailable}
          aria-label={t(isBound ? 'rebindNamed' : 'bindNamed', { name })}
          onClick={onBind}
        >
          {t(isBound ? 'rebind' : 'bind')}
        </Button>
      )}
    </li>
  )
}

interface BindingDefinition {
  readonly binding: Binding
  /** Reads the bound identity from the user; empty when there is none. */
  readonly readIdentity: (user: User) => string
  /** Whether the installation has this method turned on. */
  readonly isOn: (status: Status) => boolean
}

/** All sign-in methods in display order. */
const BINDINGS: readonly BindingDefinition[] = [
  { binding: 'email', readIdentity: user => user.email, isOn: () => true },
  { binding: 'wechat', readIdentity: user => user.wechat_id, isOn: status => status.wechat_login },
  { binding: 'github', readIdentity: user => user.github_id, isOn: status => status.github_oauth },
  { binding: 'telegram', readIdentity: user => user.telegram_id, isOn: status => status.telegram_oauth },
  { binding: 'linuxdo', readIdentity: user => user.linux_do_id, isOn: status => status.linuxdo_oauth },
]
