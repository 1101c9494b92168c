/** What one query may take of the heap, and what its parts draw of that before they allocate. */
package org.flowmon.udaf.memory;
