import { useQuery } from '@tanstack/react-query'
import { SiteContent } from '../../app/shell/framed-page.tsx'
import { useStatus } from '../../app/api/status.ts'
import { OwnHome } from './own-home.tsx'
import { homeContentQuery } from './queries.ts'

/** The operator's page where there is one. A call that fails leaves ours. */
export function HomeScreen() {
  const { system_name: system } = useStatus()
  const { data: source, isPending } = useQuery(homeContentQuery)
  if (isPending) return null
  if (!source) return <OwnHome />
  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        {system}
      </h1>
      <SiteContent source={source} title={system} />
    </>
  )
}
