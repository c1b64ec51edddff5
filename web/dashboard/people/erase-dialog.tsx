import { useGo } from '../kit/address.tsx'
import { NameDialog } from '../kit/name-dialog.tsx'
import { useTexts } from '../kit/texts.tsx'
import { PEOPLE_TEXTS } from './texts.ts'

/** An erasure cannot be undone, so it asks for the id of the person. */
export function EraseDialog({ userId, onClose }: { readonly userId: string; readonly onClose: () => void }) {
  const { erase } = useTexts(PEOPLE_TEXTS)
  const go = useGo()
  return (
    <NameDialog
      words={{ ...erase, text: erase.text(userId) }}
      name={userId}
      endpoint="POST /api/v1/user/delete"
      input={{ body: { nv: [{ userID: userId }] } }}
      refreshes={['GET /api/v1/users']}
      onDone={() => go('/people')}
      onClose={onClose}
    />
  )
}
