/** The lines that a site puts in the head of its pages; `docs/web-sdk.md` explains them. */
export function siteSnippet(origin: string, key: string): string {
  return `<script>
(function(w,d,u){w.beckon=w.beckon||function(){var a=arguments;return new Promise(function(y,n){
(w.beckon.q=w.beckon.q||[]).push([a,y,n])})};w.nv=w.nv||w.beckon;w.addEventListener('pagehide',function(){
var q=w.beckon.q,k=w.sessionStorage;if(q&&k.length<50)k['beckon-early-'+Date.now()]=
JSON.stringify([d.URL,d.referrer,q.slice(0,50)])});var s=d.createElement('script');s.async=1;s.src=u;
d.head.appendChild(s)})(window,document,'${origin}/sdk.js');

beckon('init', { key: '${key}' })
</script>`
}
