"""Verifies plants.jsonl again.   python3 check.py [--new] [id or subject ...]
Per subject: the clean tree (clean/NAME, laid by mk.py from the mirrors) must be green.
Per plant: `old` occurs exactly once in `path`; with `new` in its place the suite fails in
1..15 tests, and (warning only, for suites with random data) they are the recorded ones.
--new: only plants without a line in checked.txt. Results go to checked.txt."""
import json,os,shutil,sys,collections
from run import run
here=os.path.dirname(os.path.abspath(__file__)); os.chdir(here)
S={s['name']:s for s in json.load(open('subjects.json'))}
P=[json.loads(l) for l in open('plants.jsonl')]
args=[a for a in sys.argv[1:] if a!='--new']
done=set()
if '--new' in sys.argv and os.path.exists('checked.txt'): done={l.split()[0] for l in open('checked.txt') if ' OK' in l}
assert len({p['id'] for p in P})==len(P)
for n,c in collections.Counter(p['subject'] for p in P).items(): assert c<=8,(n,c)
need=('id','subject','language','path','function','class','old','new','title','body','failing')
bad=0; green={}
for p in P:
    if args and p['id'] not in args and p['subject'] not in args: continue
    if p['id'] in done: continue
    s=S[p['subject']]; msg=[]
    for k in need: assert p.get(k),(p['id'],k)
    if p['subject'] not in green:
        rc,f,n,_=run(s,'clean/'+p['subject']); green[p['subject']]=(rc==0 and not f and n>0)
    if not green[p['subject']]: msg.append('CLEAN NOT GREEN')
    t=open(os.path.join('clean',p['subject'],p['path'])).read()
    if t.count(p['old'])!=1: msg.append('old occurs %d times'%t.count(p['old']))
    else:
        w='work/check-'+p['subject']; shutil.rmtree(w,ignore_errors=True); shutil.copytree('clean/'+p['subject'],w)
        open(os.path.join(w,p['path']),'w').write(t.replace(p['old'],p['new']))
        rc,f,n,tail=run(s,w); shutil.rmtree(w,ignore_errors=True)
        if not 1<=len(f)<=15 or 'PACKAGE' in ' '.join(f) or 'BUILD' in ' '.join(f): msg.append('fails %d %s'%(len(f),f[:3]))
        elif sorted(f)!=p['failing']: msg.append('(warning) other tests fail now: %s'%sorted(set(f)^set(p['failing']))[:4])
    if any(not m.startswith('(w') for m in msg): bad+=1
    line=p['id']+' '+p['subject']+' '+('OK ' if not any(not m.startswith('(w') for m in msg) else 'BAD ')+'; '.join(msg)
    print(line,flush=True); open('checked.txt','a').write(line+'\n')
print('bad:',bad)
