/** The sentences of `rules/explanations.ts` in German. Words in braces are filled in. */
export const GERMAN_FINDINGS: Readonly<Record<string, string | undefined>> = {
  person_known: 'Die Benutzer-Id {user} ist bekannt seit {since}.',
  person_unknown: 'Niemand hat die Benutzer-Id {user}.',
  has_devices: 'Geräte auf {platform}: {count}.',
  is_subscribed: 'Angemeldete Geräte: {count} von {all}.',
  for_everyone: 'Die Kampagne ist für alle.',
  in_audience: 'Die Person ist unter den Empfängern, eingeengt durch {parts}.',
  every_device: 'Jedes Gerät der Person bekommt die Nachricht.',
  other_device_now:
    'Nur das zuletzt benutzte Gerät wird benachrichtigt, und das ist auf einer anderen Plattform oder nicht unter den Empfängern.',
  latest_device: 'Das zuletzt benutzte Gerät ist {subscription} auf {platform}.',
  not_divided: 'Kampagne und Marke halten niemanden zurück.',
  not_held_out: 'Die Person gehört nicht zu denen, die nichts bekommen ({percent} Prozent).',
  variant_planned:
    'Die Person bekommt Variante {variant} und gehört nicht zu denen, die nichts bekommen ({percent} Prozent).',
  group_not_drawn:
    'Wer zu denen gehört, die nichts bekommen ({percent} Prozent), steht fest, sobald die Kampagne gespeichert ist.',
  not_opted_out: 'Keine Abbestellung von {topic}.',
  opted_out_now: '{holder}: {topic} abbestellt seit {since}.',
  opt_outs_passed: 'Abbestellungen betreffen transaktionale Nachrichten nicht.',
  no_quiet_hours: 'Die Marke hat keine Ruhezeit.',
  quiet_hours_passed: 'Die Ruhezeit betrifft transaktionale Nachrichten nicht.',
  outside_quiet_hours: 'Fällig {at}, außerhalb der Ruhezeit von {from} bis {until} in {zone}.',
  waits_for_quiet_end: 'Fällig {at}, in der Ruhezeit von {from} bis {until} in {zone}; wartet bis {end}.',
  dropped_in_quiet_hours:
    'Fällig {at}, in der Ruhezeit von {from} bis {until} in {zone}, und wird nicht gesendet.',
  no_cap: 'Für die Nachricht gilt keine Tagesgrenze.',
  below_cap: 'Am {day} hat die Person {count} von {cap} Nachrichten bekommen.',
  cap_reached: 'Am {day} hat die Person schon {count} Nachrichten bekommen; die Marke erlaubt {cap}.',
  channel_sends: 'Der Kanal von {platform} sendet.',
  channel_obstructed: 'Auf {platform} wird zur Zeit nichts gesendet ({reason}). {advice}',
  sending_goes_on: 'Der Versand läuft.',
  sending_held: 'Der Betreiber hält den ganzen Versand an; die Nachricht wartet, bis er weitergeht.',
  no_consent_needed: 'Der Start braucht keine zweite Zustimmung; die Grenze der Marke ist {above}.',
  approver_launches:
    'Die Kampagne ist für {people} Personen, die Grenze ist {above}. Wer zustimmen darf, braucht keine zweite Zustimmung.',
  below_approval:
    'Die Kampagne ist für {people} Personen; eine zweite Zustimmung braucht es ab mehr als {above}.',
  consent_needed:
    'Die Kampagne ist für {people} Personen, und ab mehr als {above} braucht es eine zweite Zustimmung. Der Start wartet darauf.',
  author_asks: 'Ein Autor startet nur mit der Zustimmung eines anderen.',
  campaign_not_launched: 'Die Kampagne ist noch nicht gestartet ({state}), also wurde nichts gesendet.',
  campaign_awaits_approval:
    'Die Kampagne wartet auf eine zweite Zustimmung: {people} Personen, Grenze {above}.',
  campaign_awaits_consent: 'Die Kampagne wartet auf eine zweite Zustimmung, weil {requester} darum bat.',
  not_addressed: 'Die Nachricht war für jemand anderen.',
  never_subscribed: 'Die Person hatte nie ein Gerät auf {platform}.',
  no_live_subscription: 'Keines der Geräte auf {platform} ist angemeldet: {detail}.',
  only_virtual_devices: 'Die Person hat auf {platform} nur virtuelle Geräte, und die sind nicht gewählt.',
  subscribed_later: 'Das Gerät auf {platform} wurde erst angemeldet, als die Nachricht schon gesendet war.',
  tag_missing: 'Kein Gerät der Person auf {platform} trägt das Schlagwort {tag}.',
  not_in_segment: 'Die Person ist zur Zeit nicht in Segment {segment}.',
  not_in_filter: 'Der Filter der Empfänger findet die Person zur Zeit nicht.',
  not_listed: 'Die Person steht nicht auf der Liste der Kampagne.',
  got_other_campaign: 'Die Kampagne lässt aus, wer Kampagne {campaign} bekam, und die Person bekam sie.',
  held_out: 'Die Person gehört zu den {percent} Prozent der Empfänger, die zum Vergleich nichts bekommen.',
  in_control_group: 'Die Person gehört zu den {percent} Prozent der Marke, die keine Kampagnen bekommen.',
  not_in_test:
    'Die Varianten werden zuerst an {percent} Prozent der Empfänger erprobt, und die Person gehört nicht dazu.',
  in_test: 'Die Person gehörte zu den {percent} Prozent, an denen die Varianten erprobt wurden.',
  other_device: 'Nur das zuletzt benutzte Gerät wird benachrichtigt: {subscription} auf {platform}.',
  variant_chosen: 'Die Nachricht für {subscription} war Variante {variant}.',
  opted_out: '{holder}: {topic} abbestellt, {since}. Die Nachricht für {subscription} wurde nicht gesendet.',
  opted_out_before:
    'Die Nachricht für {subscription} wurde nicht gesendet, weil damals {topic} abbestellt war.',
  is_due: 'Fällig {at}.',
  expired_when_due: 'Fällig war sie {at}, und seit {end} ist sie abgelaufen.',
  quiet_later:
    'Die Nachricht für {subscription} wartet auf das Ende der Ruhezeit: {from} bis {until} in {zone}.',
  quiet_waited:
    'Die Nachricht für {subscription} wartete das Ende der Ruhezeit ab: {from} bis {until} in {zone}.',
  quiet_dropped: 'Die Nachricht für {subscription} fiel in die Ruhezeit: {from} bis {until} in {zone}.',
  frequency_capped: 'Die Person hatte an dem Tag schon so viele Nachrichten, wie die Marke erlaubt: {cap}.',
  obstructed: 'Die Nachricht wartet: Auf {platform} wird zur Zeit nichts gesendet ({reason}). {advice}',
  scheduled: 'Die Nachricht ist geplant für {at}.',
  pending: 'Die Nachricht wird gerade gesendet.',
  retrying: 'Die Nachricht für {subscription} wird noch einmal versucht: {reason}.',
  too_many_old_events:
    'Die Nachricht ist seit {at} fällig, aber ihre Empfänger brauchen zu viele alte Ereignisse. Sie wird immer seltener versucht. Das Segment sollte weniger Tage zurückschauen, oder der Betreiber sollte Zeilen länger behalten (BECKON_EVENT_ROWS_DAYS).',
  notification_cancelled: 'Die Nachricht wurde abgebrochen.',
  notification_failed: 'Die Nachricht konnte gar nicht gesendet werden: {reason}.',
  failed: 'Die Nachricht für {subscription} schlug fehl: {reason}.',
  outcome_unknown: 'Der Push-Dienst antwortete nicht; die Nachricht für {subscription} kam vielleicht an.',
  expired: 'Die Nachricht für {subscription} lief ab, bevor sie gesendet werden konnte.',
  cancelled: 'Die Nachricht für {subscription} wurde nicht gesendet: {reason}.',
  accepted: 'Der Push-Dienst nahm die Nachricht für {subscription} an, {at}.',
  received: 'Das Gerät {subscription} meldete, dass es die Nachricht zeigte.',
  clicked: 'Die Nachricht wurde auf {subscription} angetippt.',
  outcome_forgotten: 'Was aus der Nachricht wurde, ist nicht mehr gespeichert.',
  best_hour_own:
    'Nach heutigem Stand ist die Stunde der Person {hour}:00 in {zone}: In den letzten 60 Tagen war sie zu dieser Stunde an {count} Tagen aktiv. {due}',
  best_hour_brand:
    'Nach heutigem Stand war die Person in den letzten 60 Tagen zu keiner Stunde aktiv, die in Frage kam. Die Stunde der Marke ist {hour}:00 in {zone}, mit {count} Ereignissen. {due}',
  best_hour_none:
    'Nach heutigem Stand waren in den letzten 60 Tagen weder Person noch Marke zu einer Stunde aktiv, die in Frage kam. {due}',
  language_chosen: 'Die Nachricht für {subscription} war in {language}, weil {cause}.',
  journey_not_active: 'Der Ablauf ist {state}; niemand betritt ihn.',
  journey_unreadable: 'Die gespeicherte Fassung {version} des Ablaufs ist nicht lesbar; niemand betritt ihn.',
  trigger_never_came: 'Das Ereignis {event} kam für diese Person nie.',
  trigger_before_creation:
    'Das Ereignis {event} kam, bevor das Profil angelegt war; es startet den Ablauf nicht.',
  trigger_before_activation:
    'Das Ereignis {event} kam {at}, bevor der Ablauf gestartet wurde ({since}); es startet ihn nicht.',
  trigger_where: 'Das Ereignis {event} kam {at}, aber seine Merkmale passen nicht zum Auslöser.',
  trigger_fresh: 'Das Ereignis {event} kam {at}. Der Ablauf hat es noch nicht gelesen.',
  trigger_while_resting:
    'Das Ereignis {event} kam {at}, als niemand den Ablauf betreten konnte; es startet ihn nicht.',
  entered_before:
    'Das Ereignis {event} kam {at} noch einmal, aber eine Person betritt den Ablauf nur einmal.',
  inside_already:
    'Das Ereignis {event} kam {at} noch einmal, als die Person noch im Ablauf war. Sie betritt ihn erst wieder, wenn sie ihn verlassen hat.',
  never_in_segment_change:
    'Die Person hat Segment {segment} nicht {change}, seit der Ablauf gestartet wurde.',
  date_not_due:
    'Die Person hat kein Datum in {attribute}, oder es ist seit dem Start des Ablaufs nicht gekommen.',
  journey_goes_on: 'Die Person ist bei Schritt {step}. Der Ablauf geht weiter: {at}.',
  journey_rests: 'Der Ablauf ist {state}; die Person bleibt bei Schritt {step}, bis er wieder läuft.',
}

/** The values of findings that are words and no facts, in German. */
const GERMAN_WORDS: Readonly<Record<string, string | undefined>> = {
  'The person': 'Die Person',
  everything: 'alles',
  'everything but transactional messages': 'alles außer transaktionalen Nachrichten',
  'not set': 'nicht gesetzt',
  'The hour was chosen at the launch.': 'Die Stunde wurde beim Start gewählt.',
  draft: 'ein Entwurf',
  paused: 'angehalten',
  archived: 'archiviert',
  entered: 'betreten',
  left: 'verlassen',
}

/** The values that have facts among their words. */
const GERMAN_PARTS = [
  [/^The device /, 'Das Gerät '],
  [/^the topic /, 'das Thema '],
  [/^The message would be due at (.+)\.$/, 'Fällig wäre sie $1.'],
  [/^The message was planned for (.+)\.$/, 'Geplant war sie für $1.'],
  [/^the language of the device is (.+)$/, 'die Sprache des Geräts $1 ist'],
  [/^the language of the person is (.+)$/, 'die Sprache der Person $1 ist'],
  [/^the language of the brand is (.+)$/, 'die Sprache der Marke $1 ist'],
  [/^no known language is offered /, 'keine bekannte Sprache angeboten wird '],
  [
    /^a language was another one at that time; now they are /,
    'eine Sprache damals eine andere war; jetzt gilt ',
  ],
  [/\bdevice: (.+), person: (.+), brand: /, 'Gerät: $1, Person: $2, Marke: '],
  [/\bnot set\b/g, 'nicht gesetzt'],
] as const

export function germanValue(value: string): string {
  return (
    GERMAN_WORDS[value] ??
    GERMAN_PARTS.reduce((said, [english, german]) => said.replace(english, german), value)
  )
}
