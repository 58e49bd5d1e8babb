BASE <http://example.org/> PREFIX : <#>
INSERT DATA { GRAPH <g;1> { :a :b ";", [ :c ( 1 2 ) ] } } ;
WITH <g> DELETE { ?s ?p ?o } INSERT { ?s ?p "}" } USING <g> WHERE { { ?s ?p ?o } UNION { ?o ?p ?s } } ;
DELETE WHERE { GRAPH ?g { ?s :b\;c ?o } } ; CLEAR SILENT GRAPH :g ; MOVE DEFAULT TO <h>
