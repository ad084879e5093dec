-- Which hooks refuse calls, and in how many projects?
select hook, count(*) as refused, count(distinct project) as projects, count(distinct person) as people
from rows where call and now = 'deny' group by hook order by refused desc limit 10;
-- Which calls would be refused from now on?
select id, project, subject, what, reason from rows where changed and now = 'deny' order by id limit 10;
-- Why are verdicts unknown?
select "unknown" as reason, count(*) as events from rows where "unknown" is not null group by all order by events desc limit 10;
