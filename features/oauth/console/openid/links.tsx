import { useQuery } from '@tanstack/react-query'
import { errorText } from '#console/app/api/call.ts'
import { ensureRecentSignIn } from '#console/app/session/reauthentication.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { buttonsQuery, goToProvider, linksQuery, useUnlink } from './queries.ts'
import { useOpenIdText } from './text.ts'

/** The identity providers linked to the user's own account, and those that can be. */
export function OpenIdLinks() {
  const t = useOpenIdText()
  const { data: links = [] } = useQuery(linksQuery)
  const { data: offered = [] } = useQuery(buttonsQuery)
  const unlink = useUnlink()
  const others = offered.filter(({ slug }) => !links.some(link => link.slug === slug))
  const askToUnlink = async (slug: string, name: string) => {
    const question = { title: t('unlinkTitle', { name }), text: t('unlinkText'), action: t('unlink') }
    if (!(await confirm({ ...question, isDanger: true }))) return
    unlink.mutate(slug, { onSuccess: () => toast('success', t('unlinked')) })
  }
  const link = async (slug: string) => {
    if (!(await ensureRecentSignIn())) return
    await goToProvider(slug).catch((error: unknown) => toast('error', errorText(error)))
  }
  return (
    <div className="grid gap-3">
      {links.length === 0 && <p className="text-small text-muted">{t('noLinks')}</p>}
      {links.length > 0 && (
        <ul className="divide-y divide-line rounded-card border border-line">
          {links.map(({ slug, name }) => (
            <li key={slug} className="flex items-center gap-3 px-3 py-2.5">
              <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
              <Button
                size="small"
                variant="danger-text"
                aria-label={t('unlinkNamed', { name })}
                isBusy={unlink.isPending}
                onClick={() => void askToUnlink(slug, name)}
              >
                {t('unlink')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        {others.map(({ slug, name }) => (
          <Button key={slug} onClick={() => void link(slug)}>
            {t('link', { name })}
          </Button>
        ))}
      </div>
    </div>
  )
}
