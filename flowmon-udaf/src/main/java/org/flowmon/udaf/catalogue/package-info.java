/**
 * The functions on the class path, as the dialect calls them: found by name, bound, evaluated over
 * states, exported.
 */
package org.flowmon.udaf.catalogue;
