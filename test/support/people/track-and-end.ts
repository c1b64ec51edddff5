/** A program that tracks one event and has nothing else to do: `track-and-end.ts URL KEY`. */
import { Client } from '../../../web/client/client.ts'

const [url = '', key = ''] = process.argv.slice(2)
const client = new Client({ url, key })
void client.track({ userID: 'ada', event_name: 'looked', attributes: { at: 1 } })
