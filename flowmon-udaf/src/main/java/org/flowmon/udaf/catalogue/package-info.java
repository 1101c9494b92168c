/**
 * The class path's functions as the dialect calls them: found by name, bound, evaluated over
 * states, exported.
 */
package org.flowmon.udaf.catalogue;
