/** The heap budget of a query, and the draws of its parts on it before they allocate. */
package org.flowmon.udaf.memory;
