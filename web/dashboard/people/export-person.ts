import { encodeJson } from '../../client/json.ts'
import { call } from '../kit/call.ts'

/** Everything that is stored about a person, as a file. The audit log has a line for it. */
export async function exportPerson(userId: string): Promise<void> {
  const { profile } = await call('GET /api/v1/user/userdata', { query: { userID: userId } })
  const file = new Blob([encodeJson(profile)], { type: 'application/json' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = `person-${userId.replaceAll(/[^\w.-]/g, '_')}.json`
  link.click()
  URL.revokeObjectURL(link.href)
}
